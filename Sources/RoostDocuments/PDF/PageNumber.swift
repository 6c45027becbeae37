/// The number that is printed on a page.
enum PageNumber {
    /// Returns the number of a line that contains only a page number, such as `12`, `- 12 -`,
    /// `Page 12 of 30`, `Seite 12` or `xii`; otherwise `nil`.
    static func value(of line: String) -> Int? {
        guard line.count <= 24 else { return nil }
        var words = line.lowercased().split { " -–—|/[]().·".contains($0) }.map(String.init)
        let names: Set = ["page", "seite", "pagina", "página", "p", "s", "pg", "sida", "side", "strona"]
        if let first = words.first, names.contains(first) { words.removeFirst() }
        guard let first = words.first, let value = Int(first) ?? romanValue(of: first) else { return nil }
        let rest = words.dropFirst()
        guard let second = rest.first else { return value }
        let separators: Set = ["of", "von", "de", "di", "sur", "af", "av", "z"]
        let total = separators.contains(second) ? rest.dropFirst() : rest
        return total.count == 1 && total.first.flatMap({ Int($0) }).map { $0 >= value } == true ? value : nil
    }

    /// Returns the value of a Roman numeral of the digits I, V, X and L; otherwise `nil`.
    private static func romanValue(of text: String) -> Int? {
        let values: [Character: Int] = ["i": 1, "v": 5, "x": 10, "l": 50]
        let digits = text.compactMap { values[$0] }
        guard digits.count == text.count, digits.count <= 8 else { return nil }
        var sum = 0
        for (index, digit) in digits.enumerated() {
            sum += index + 1 < digits.count && digits[index + 1] > digit ? -digit : digit
        }
        return sum > 0 ? sum : nil
    }
}
