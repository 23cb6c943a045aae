INSERT INTO accounts (customer, purchases, address) VALUES
    ('Ann', 100, 'Oakland'),
    ('Joe Shmoe', 25, 'San Jose'),
    ('Bob', 40, 'Palo Alto'),
    ('Eve', 7, 'Fremont');
INSERT INTO monthly_accounts_update (customer, purchases, address) VALUES
    ('Ann', 5, 'Berkeley'),
    ('Joe Shmoe', 11, 'San Jose'),
    ('Bob', 60, 'Los Altos'),
    ('Zed', 12, 'Fremont');
