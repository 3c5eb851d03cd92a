# Prints classes.txt: the classes of code points that Lucene's StandardTokenizer tells apart, as words.go explains them.
# Perl 5.36 (Unicode 14); what Unicode 10 to 14 changed is undone, since Lucene goes by Unicode 9, and by emoji of Unicode 11.
use strict; use warnings; no warnings;
my @props = (
 [a=>sub{$_[0] =~ /\p{WB=ALetter}/ && $_[0] =~ /\p{In=9.0}/}],
 [h=>sub{$_[0] =~ /\p{WB=Hebrew_Letter}/ && $_[0] =~ /\p{In=9.0}/}],
 [n=>sub{($_[0] =~ /\p{WB=Numeric}/ || $_[0] =~ /[\x{FF10}-\x{FF19}]/) && $_[0] =~ /\p{In=9.0}/}],
 [k=>sub{$_[0] =~ /\p{WB=Katakana}/ && $_[0] =~ /\p{In=9.0}/}],
 [l=>sub{$_[0] =~ /\p{WB=MidLetter}/}],
 [b=>sub{$_[0] =~ /\p{WB=MidNumLet}/}],
 [u=>sub{$_[0] =~ /\p{WB=MidNum}/}],
 [q=>sub{$_[0] eq "'"}], [d=>sub{$_[0] eq '"'}],
 [e=>sub{$_[0] =~ /\p{WB=ExtendNumLet}/}],
 [x=>sub{$_[0] =~ /[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]/ && $_[0] =~ /\p{In=9.0}/ && $_[0] !~ /[\x{1F3FB}-\x{1F3FF}]/}],
 [z=>sub{$_[0] =~ /\x{200D}/}], [v=>sub{$_[0] =~ /[\x{FE0E}\x{FE0F}]/}], [p=>sub{$_[0] =~ /\x{FE0F}/}],
 [r=>sub{$_[0] =~ /\p{WB=Regional_Indicator}/}],
 [c=>sub{$_[0] =~ /\p{Script=Han}/ && $_[0] =~ /\p{In=9.0}/}],
 [j=>sub{$_[0] =~ /\p{Script=Hiragana}/ && $_[0] =~ /\p{In=9.0}/}],
 [s=>sub{$_[0] =~ /\p{LB=SA}/ && $_[0] =~ /\p{In=9.0}/}],
 [i=>sub{$_[0] =~ /\p{ExtPict}/ || ($_[0] =~ /\p{Emoji}/ && $_[0] !~ /[\p{WB=Regional_Indicator}0-9#*\x{a9}\x{ae}\x{2122}\x{3030}\x{303d}\x{1F3FB}-\x{1F3FF}]/)}],
 [m=>sub{$_[0] =~ /[\x{1F3FB}-\x{1F3FF}]/}],
 [f=>sub{$_[0] =~ /\p{EBase}/}],
 [y=>sub{$_[0] =~ /[0-9#*]/}], [o=>sub{$_[0] =~ /\x{20E3}/}],
 [t=>sub{$_[0] =~ /[\x{E0020}-\x{E007E}]/}], [w=>sub{$_[0] =~ /\x{E007F}/}],
);
# What Unicode 10 to 14 changed is undone.
sub in_ranges { my ($cp, @r) = @_; for (@r) { my ($a, $b) = map { hex } split /-/; return 1 if $cp >= $a && $cp <= ($b || $a) } 0 }
sub older {
  my ($cp, $m) = @_;
  $m =~ s/[al]//g if in_ranges($cp, qw(2C2-2C5 2D2-2D6 2DE-2DF 2E5-2EB 2ED 2EF-2FF 55A-55C 55E-55F 58A A708-A716 A720-A721 A789-A78A AB5B));
  $m = 'l' if $cp == 0x2D7;
  $m = 'x' if in_ranges($cp, '1CF2-1CF3');
  $m = '' if $cp == 0x111C9;
  $m =~ s/f// if in_ranges($cp, qw(1F46A-1F46D 1F46F 1F48F 1F491 1F90C 1F90F 1F91D 1F93C 1F977 1F9BB 1F9CD-1F9CF 1FAC3-1FAC5 1FAF0-1FAF6));
  $m = 'i' if in_ranges($cp, '1FB00-1FBFF');
  return $m;
}
my ($start,$last,$prev)=(0,0,'');
sub out { printf "%s %X-%X\n", $prev,$start,$last if $prev ne ''; }
for my $cp (0..0x10FFFF) {
  next if $cp>=0xD800 && $cp<=0xDFFF;
  my $c = chr $cp; my $m='';
  if ($cp < 0x30000 || ($cp>=0xE0000 && $cp<0xE1000)) { for my $p (@props) { $m .= $p->[0] if $p->[1]->($c) }
  $m = older($cp, $m) }
  if ($m ne $prev || $cp != $last+1) { out(); $start=$cp; $prev=$m }
  $last=$cp;
}
out();
