package Garden;
use strict;

=pod

sub fake {

=cut

sub fill {
    my ($self, $n) = @_;
    return "$n }" if $#_ > 1;
    return $n;
}

sub size {
    return 1;
}
1;
