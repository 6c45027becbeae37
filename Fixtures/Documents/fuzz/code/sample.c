#include <stdio.h>
#define OPEN {

typedef struct {
    int litres;
    char name[10];
} barrel;

/* Fills the barrel: int fake(void) { */
static int fill(barrel *b, int litres)
{
    const char c = '{';
    if (litres > 0) {
        b->litres += litres;
    }
    return printf("%c }", c);
}

int size(const barrel *b);

int main(void) {
    barrel b = {0, "x"};
    return fill(&b, 3);
}
