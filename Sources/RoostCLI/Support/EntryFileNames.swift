import Foundation
import Roost

/// The names of the files of exported entries: their titles, as far as all systems permit them.
///
/// The names are unique on file systems that ignore case and compose characters differently. The first of
/// several entries with the same title gets the title, and the others also the beginning of their ids, so the
/// names of entries do not change when others are added.
struct EntryFileNames {
    /// The maximum length of a title in bytes. Names can have 255 bytes in most file systems, and 143 in
    /// encrypted folders.
    private static let maximumLength = 100
    /// The number of digits of an id that distinguish entries with the same title.
    private static let idLength = 8
    /// The names of devices in Windows, which no file can have, whatever follows after a full stop.
    private static let devices: Set<String> = {
        let numbers = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"]
        return Set(
            ["con", "prn", "aux", "nul", "conin$", "conout$"] + numbers.flatMap { ["com" + $0, "lpt" + $0] })
    }()

    /// The names that were returned, in the form in which file systems compare them.
    private var used: Set<String> = []

    /// Returns the name of the file of an entry, with the extension `md`. It differs from all earlier ones.
    mutating func name(of entry: Entry) -> String {
        let title = Self.stem(of: entry.title ?? TextTitle.title(of: entry.content) ?? "")
        let id = entry.id.text
        let candidates =
            title.isEmpty
            ? [String(id.prefix(Self.idLength)), id]
            : [title, "\(title) (\(id.prefix(Self.idLength)))", "\(title) (\(id))"]
        // Full ids are unique, but a title can contain one.
        let name =
            candidates.first { used.insert(Self.folded($0)).inserted }
            ?? sequence(first: 2) { $0 + 1 }.lazy.map { "\(id) (\($0))" }
            .first { used.insert(Self.folded($0)).inserted }
        return (name ?? id) + ".md"
    }

    /// Returns a title without the characters that a system forbids in names; empty if nothing remains.
    static func stem(of title: String) -> String {
        var text = ""
        for scalar in title.precomposedStringWithCanonicalMapping.unicodeScalars {
            switch scalar {
            case "/", "\\": text.unicodeScalars.append("-")
            case ":", "*", "?", "\"", "<", ">", "|": text += " "
            // The joiners are parts of words and of emoji.
            case "\u{200C}", "\u{200D}": text.unicodeScalars.append(scalar)
            default:
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: text += " "
                case .format, .surrogate, .privateUse, .unassigned: break
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
        text = text.split(separator: " ").joined(separator: " ")
        // Names that begin with a full stop are hidden, and those with a hyphen look like options.
        text = shortened(String(text.drop { ".- ".contains($0) }))
        while let last = text.last, ". ".contains(last) { text.removeLast() }
        let device = text.prefix { $0 != "." }
        if devices.contains(device.lowercased().trimmingCharacters(in: .whitespaces)) {
            text = device + "_" + text.dropFirst(device.count)
        }
        return text
    }

    /// Returns the whole words at the beginning of a text that fit into the maximum length.
    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > maximumLength else { return text }
        var result = ""
        for character in text {
            guard result.utf8.count + character.utf8.count <= maximumLength else { break }
            result.append(character)
        }
        // A language without spaces has no words to keep.
        guard let space = result.lastIndex(of: " "), result[..<space].utf8.count * 2 > maximumLength else {
            return result
        }
        return String(result[..<space])
    }

    /// Returns the form in which file systems that ignore case compare names.
    private static func folded(_ name: String) -> String {
        name.decomposedStringWithCanonicalMapping.uppercased().lowercased()
            .decomposedStringWithCanonicalMapping
    }
}
