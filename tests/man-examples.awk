# man-examples.awk - the EXAMPLES of a manual page as a shell script
#
# Lines "$ COMMAND" (continued by "> ") of the displays are run; the lines after
# them up to the next command must be what they print. Each becomes a numbered
# pair of files: N.sh and N.expect in the folder OUT.
/^\.Sh / { inside = /^\.Sh EXAMPLES/ }
/^\.Bd/ { shown = 1 }
/^\.Ed/ { shown = 0 }
!inside || !shown || /^\./ { next }
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
