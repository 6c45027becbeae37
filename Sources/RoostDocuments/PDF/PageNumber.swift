/// The number that is printed on a page.
enum PageNumber {
    /// Returns the first number of a short line such as `12`, `- 12 -` or `Page 12 of 30`; `nil` for others.
    /// Its distance from the number of the page decides whether it is that of the page.
    static func value(of line: String) -> Int? {
        guard line.count <= 24 else { return nil }
        let numbers = line.split { !$0.isNumber }
        return numbers.count <= 2 ? numbers.first.flatMap { Int($0) } : nil
    }
}
