<h1>don't</h1>
<?php
namespace A\B;
class C extends D {
    public function run(int $a): string {
        $x = 'it\'s {';
        return $x;
    }
    private static function other() {
        return 1;
        # }
    }
}
function top($a) {
    return $a;
    // }
}
