# Prints the tables of src/expr/text_case.c: the simple case mappings of the
# Unicode version that this perl has (Unicode::UCD), ASCII left out.
use strict;
use warnings;
use Unicode::UCD qw(prop_invmap);
sub table {
	my ($name, $prop) = @_;
	my ($l, $m, $f, $d) = prop_invmap($prop);
	my @pairs;
	for my $i (0 .. $#$l) {
		next if $m->[$i] eq $d;
		my $end = $i < $#$l ? $l->[$i+1] - 1 : 0x10ffff;
		for my $c ($l->[$i] .. $end) {
			my $to = $m->[$i] + ($f =~ /a/ ? $c - $l->[$i] : 0);
			push @pairs, [$c, $to] if $to != $c && $c >= 128;
		}
	}
	my @ranges;
	for my $p (@pairs) {
		my ($c, $delta) = ($p->[0], $p->[1] - $p->[0]);
		my $r = @ranges ? $ranges[-1] : undef;
		if ($r && $r->[3] == $delta) {
			my $step = $c - $r->[1];
			if ($r->[0] == $r->[1] && $step <= 2) { $r->[2] = $step; $r->[1] = $c; next; }
			if ($step == $r->[2]) { $r->[1] = $c; next; }
		}
		push @ranges, [$c, $c, 1, $delta];
	}
	print "static const struct case_range $name\[] = {\n";
	printf "\t{ 0x%04x, 0x%04x, %d, %d },\n", @$_ for @ranges;
	print "};\n\n";
}
table("to_upper", "Simple_Uppercase_Mapping");
table("to_lower", "Simple_Lowercase_Mapping");
