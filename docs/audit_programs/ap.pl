use JSON::PP;
while (my $line = <STDIN>) {
  my $ranking = decode_json($line);
  my ($label, $score) = @$ranking{"y_true", "y_score"};
  my @order = sort { $score->[$b] <=> $score->[$a] } 0 .. $#$score;
  my ($found, $before, $area) = (0, 0, 0);
  for my $i (0 .. $#order) {
    my ($row, $next) = @order[$i, $i + 1];
    $found += $label->[$row];
    next if defined $next && $score->[$next] == $score->[$row];
    $area += ($found - $before) * $found / ($i + 1);
    $before = $found;
  }
  print "$ranking->{n} ", $found ? $area / $found : 0, "\n";
}
