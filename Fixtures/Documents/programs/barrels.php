<?php

declare(strict_types=1);

namespace Example\Barrels;

use InvalidArgumentException;

const MAXIMUM = 1000;

interface Store
{
    public function append(array $event): void;
    public function all(): iterable;
}

trait Logs
{
    private array $lines = [];

    protected function log(string $line): static
    {
        $this->lines[] = $line;
        return $this;
    }
}

enum Material: string
{
    case Oak = 'oak';
    case Steel = 'steel {';

    public static function parse(string $text): self
    {
        return self::from(strtolower($text));
    }
}

/** A barrel for rain water. */
#[\AllowDynamicProperties]
final class Barrel implements Store
{
    use Logs;

    public function __construct(
        private readonly float $capacity,
        private float $content = 0.0,
    ) {
        if ($capacity <= 0) {
            throw new InvalidArgumentException("invalid {$capacity}");
        }
    }

    public function append(array $event): void
    {
        $this->log(<<<TEXT
            an event {
            TEXT);
    }

    public function all(): iterable
    {
        yield from array_map(
            fn(array $event): string => $event['name'],
            []
        );
    }

    public static function &reference(): array
    {
        static $list = [];
        return $list;
    }

    abstract protected function unused(): void;
}

abstract class Gauge
{
    abstract public function read(): float;

    public function __toString(): string
    {
        // A brace: }
        return (string) $this->read();
    }
}

function sum(float ...$values): float
{
    return array_sum($values);
}

$total = function (array $barrels) use (&$total): float {
    return 0.0;
};

if (!function_exists('helper')) {
    function helper(string $name): string
    {
        return ucfirst($name);
    }
}
