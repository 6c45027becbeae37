#include <vector>
#define X(a) { a
namespace garden {
template <typename T>
class Barrel : public Base {
public:
    Barrel(int x) : x_(x) {
        y = 1;
    }
    ~Barrel() {
        free(z);
        return;
    }
    int size() const;
private:
    int x_;
};

int Barrel::size() const {
    return x_;
}

static inline void fill(std::vector<int>& v, int n = 3) {
    for (auto& e : v) { e = n; }
    auto s = R"x(} " )x";
}
}
extern "C" {
int plain(void) {
    return 1;
    }
}
