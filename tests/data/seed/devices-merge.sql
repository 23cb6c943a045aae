MERGE INTO devices_output AS target
USING devices_input AS input
ON target.type = input.type AND target.version = input.version

-- 매칭 + 삭제 플래그 → 물리 삭제
WHEN MATCHED AND input.is_deleted = true THEN DELETE

-- 매칭 + 삭제 아님 → 업데이트
WHEN MATCHED AND input.is_deleted = false THEN
    UPDATE SET full_name = input.full_name

-- 미매칭 + 삭제 아님 → 신규 삽입
WHEN NOT MATCHED AND input.is_deleted = false THEN
    INSERT (full_name, version, type) VALUES (input.full_name, input.version, input.type)
