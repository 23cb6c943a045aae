# man-examples.awk - the EXAMPLES of a manual page as a shell script
#
# Lines "$ COMMAND" (continued by "> ") are run; the lines after them up to the
# next command must be what they print. Each becomes a numbered pair of files:
# N.sh and N.expect in the folder OUT.
/^\.Sh EXAMPLES/ { inside = 1; next }
/^\.Sh / { inside = 0 }
!inside || /^\./ { next }
{
	gsub(/\\e/, "\\")
	gsub(/\\-/, "-")
	gsub(/\\&/, "")
	gsub(/\\\(dq/, "\"")
}
/^\$ / {
	n++
	print substr($0, 3) > (out "/" n ".sh")
	printf "" > (out "/" n ".expect")
	next
}
/^> / && n { print substr($0, 3) > (out "/" n ".sh"); next }
n { print > (out "/" n ".expect") }
END { print n + 0 > (out "/count") }
