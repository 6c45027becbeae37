import Foundation
import Roost

enum PathList {
    /// Returns the paths in a file: separated by null characters if it contains one, as `find -print0` and
    /// `roost list -0` write them, or else one per line.
    ///
    /// - Parameter file: The path of the file; `-` for standard input.
    static func read(_ file: String) throws -> [String] {
        let data = try InputFile.read(file)
        let name = file == "-" ? "standard input" : file
        guard !data.contains(0) else {
            return try data.split(separator: 0).map { try RecordReader.text($0, name: name) }
        }
        return try RecordReader.text(data, name: name).split(whereSeparator: \.isNewline).map(String.init)
    }
}
