import Foundation
import Roost

/// A line of the file of `roost query --batch`.
struct BatchLine {
    /// The number of the line, from 1.
    var number: Int
    var text: String
    /// The reason why the line cannot be searched for; `nil` if it can.
    var error: String?

    /// Returns the lines with text.
    ///
    /// - Parameter mode: The mode of the searches, which determines the operators of the lines.
    /// - Throws: ``RoostError`` with `.badInput` if the file is not text, or text in UTF-16.
    static func lines(of data: Data, mode: SearchMode) throws -> [BatchLine] {
        let lines: [BatchLine]
        if let text = String(validating: data, as: UTF8.self) {
            lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
                .map { BatchLine(number: $0.offset + 1, text: String($0.element)) }
        } else {
            guard !data.contains(0) else {
                throw RoostError(.badInput, "cannot read the queries: they are not UTF-8 text")
            }
            lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
                .map { offset, bytes in
                    let isValid = String(validating: bytes, as: UTF8.self) != nil
                    return BatchLine(
                        number: offset + 1,
                        text: String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines),
                        error: isValid ? nil : "the line is not UTF-8 text")
                }
        }
        return lines.filter { !$0.text.allSatisfy(\.isWhitespace) }.map { line in
            guard line.error == nil, QueryText.isOnlyExclusion(line.text, mode) else { return line }
            var line = line
            line.error = QueryText.onlyExclusions
            return line
        }
    }
}
