#include <map>
#include <string>
#include <vector>

#define SQUARE(value) \
    ((value) * (value))

namespace example {
namespace barrels::detail {

template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
constexpr T twice(T value) noexcept
{
    return value * 2;
}

} // namespace barrels::detail

/// A volume of water.
struct Volume {
    double litres = 0;

    explicit operator bool() const { return litres > 0; }

    Volume operator+(const Volume &other) const
    {
        return Volume{litres + other.litres};
    }
};

enum class Material : unsigned char {
    oak,
    steel,
};

union Value {
    int number;
    double real;
};

template <class T>
class Barrel final : public Container, private Listener<T> {
public:
    explicit Barrel(Volume capacity)
        : capacity_{capacity}, names_{{"a", 1}, {"b", 2}}
    {
        fill({});
    }

    ~Barrel() override = default;

    [[nodiscard]] auto content() const -> decltype(auto)
    {
        return (content_);
    }

    template <typename... Rest>
    void fill(Volume amount, Rest &&...rest)
    {
        const char *text = R"text(a brace { and a "quote")text";
        use(text, rest...);
    }

    friend bool operator==(const Barrel &left, const Barrel &right)
    {
        return left.content_ == right.content_;
    }

    struct Gauge {
        int value;
        int unit;
        int read() const;
    };

private:
    Volume capacity_, content_;
    std::map<std::string, int> names_;
};

template <class T>
int Barrel<T>::Gauge::read() const
{
    auto lambda = [this](int offset) {
        return value + offset;
    };
    return lambda(1'000);
}

static const std::vector<std::string> names = {
    "oak",
    "steel {",
};

std::ostream &operator<<(std::ostream &stream, const Volume &volume)
{
    return stream << volume.litres;
}

template <>
struct Traits<Volume> {
    using type = double;
    static constexpr int rank = 1;
};

extern "C" {

int exported(int value)
{
    return value;
}

}

using Handler = void (*)(int);

} // namespace example

TEST(Barrel, IsEmpty)
{
    EXPECT_TRUE(true);
    EXPECT_FALSE(false);
}

int main(int argc, char **argv)
try {
    return argc;
} catch (...) {
    return 1;
}
