#!/usr/bin/perl
package Barrels;

use strict;
use warnings;

our $VERSION = '1.0';

=head1 NAME

Barrels - rain water

sub not_a_sub {

=cut

sub new {
    my ($class, %options) = @_;
    my $self = { capacity => 1000, %options };
    return bless $self, $class;
}

sub fill($self, $amount = 1) {
    $self->{content} += $amount;
    return $self;
}

sub report
{
    my $self = shift;
    print <<"TEXT";
sub neither {
    $self->{content}
TEXT
    return 1;
}

my $average = sub {
    my @values = @_;
    return sum(@values) / @values;
};

package Barrels::Gauge {
    sub read {
        my $pattern = qr/[{}]/;
        return $pattern;
    }
}

BEGIN {
    my $text = q{a } brace};
    print $text;
}

1;
