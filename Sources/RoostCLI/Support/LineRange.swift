import ArgumentParser
import RoostModel

/// A range of lines that an option names: `10-20`, `10-` or `10`.
struct LineRange: ExpressibleByArgument, Equatable {
    /// The number of the first line, at least 1.
    let first: Int
    /// The number of the last line, at least ``first``; `nil` for the end of the text.
    let last: Int?

    init(first: Int, last: Int?) { (self.first, self.last) = (first, last) }

    init?(argument: String) {
        guard let match = argument.wholeMatch(of: /([0-9]+)(-([0-9]*))?/), let first = Int(match.1), first > 0
        else { return nil }
        let end: Substring = match.3 ?? ""
        if match.2 == nil {
            self.init(first: first, last: first)
        } else if end.isEmpty {
            self.init(first: first, last: nil)
        } else {
            guard let last = Int(end), last >= first else { return nil }
            self.init(first: first, last: last)
        }
    }

    /// Returns the lines of an entry in this range, each with its number.
    ///
    /// The numbers are those of the source if each line of the text is a line of it, and otherwise those of
    /// the text, from 1. Only line feeds end lines, as in locations.
    func lines(of entry: Entry) -> [(number: Int, text: Substring)] {
        let isSource = entry.location?.lastLine == nil
        var number = isSource ? entry.location?.line ?? 1 : 1
        var found: [(Int, Substring)] = []
        var rest = entry.content[...]
        while !rest.isEmpty {
            if let last, number > last { break }
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "\n"))
            if number >= first { found.append((number, Self.withoutReturn(rest[..<(end ?? rest.endIndex)]))) }
            rest = end.map { rest[rest.utf8.index(after: $0)...] } ?? ""
            number += 1
        }
        return found
    }

    /// Returns a line without a carriage return at its end.
    private static func withoutReturn(_ line: Substring) -> Substring {
        line.utf8.last == UInt8(ascii: "\r") ? Substring(line.unicodeScalars.dropLast()) : line
    }
}
