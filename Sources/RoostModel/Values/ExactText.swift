/// A text that is compared by its UTF-8 bytes, for use as a key.
///
/// Swift strings are equal even if they differ in Unicode normalization. File systems and databases
/// distinguish such strings.
package struct ExactText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8.max)
    }

    /// Returns whether two texts have the same bytes, or are both `nil`.
    package static func areSame(_ left: String?, _ right: String?) -> Bool {
        left.map(ExactText.init) == right.map(ExactText.init)
    }
}

/// The name of a tag, in the form in which tags are compared.
///
/// Tags are equal if they differ only in case or normalization, as in Obsidian:
/// `Garden`, `garden` and `GARDEN` are one tag. Each run of white space and control characters counts as one
/// space, and a slash at the end is ignored. A tag with slashes is nested: `garden/herbs` is a part of
/// `garden`. Stores keep the spelling of each tag.
package struct TagName: Sendable, Hashable {
    /// The tag in lower case. Names are compared as Swift compares strings, so normalization does not
    /// matter. Empty if the tag consists of white space.
    package let text: String

    package init(_ tag: String) {
        guard !Self.isFolded(tag) else {
            text = tag
            return
        }
        var name = (Self.spelling(of: tag) ?? "").lowercased()
        while name.utf8.count > 1, name.utf8.last == UInt8(ascii: "/") { name.unicodeScalars.removeLast() }
        text = name
    }

    /// Returns whether a tag equals this one or is nested in it.
    package func includes(_ tag: TagName) -> Bool {
        tag.text == text || (!text.isEmpty && tag.text.hasPrefix(text + "/"))
    }

    // MARK: Lists of tags

    /// Returns the spelling in which a tag is stored: without white space at the beginning and end, and with
    /// one space in place of each other run of white space and control characters.
    ///
    /// - Returns: `nil` if nothing remains.
    package static func spelling(of tag: String) -> String? {
        var scalars = String.UnicodeScalarView()
        var isSpaceDue = false
        for scalar in tag.unicodeScalars {
            if isSpace(scalar) {
                isSpaceDue = !scalars.isEmpty
            } else {
                if isSpaceDue { scalars.append(" ") }
                isSpaceDue = false
                scalars.append(scalar)
            }
        }
        return scalars.isEmpty ? nil : String(scalars)
    }

    /// Returns tags in the spelling in which they are stored. Of several spellings of one tag, the first one
    /// is returned; empty tags are omitted.
    package static func distinct(_ tags: some Sequence<String>) -> [String] {
        var known: Set<TagName> = []
        return tags.compactMap(spelling).filter { known.insert(TagName($0)).inserted }
    }

    /// Returns the first tags, followed by those of the others that the first ones do not contain in any
    /// spelling.
    package static func adding(_ others: some Sequence<String>, to tags: [String]) -> [String] {
        let known = Set(tags.map(TagName.init))
        return tags + distinct(others).filter { !known.contains(TagName($0)) }
    }

    /// Returns whether a tag can be given by a user or program: it is one line without control characters,
    /// and has other characters than white space.
    package static func isValid(_ tag: String) -> Bool {
        spelling(of: tag) != nil
            && !tag.unicodeScalars.contains {
                $0.properties.generalCategory == .control || $0.value == 0x2028 || $0.value == 0x2029
            }
    }

    // MARK: Folding

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value <= 0x20 || scalar.value == 0x7F }
        return scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
    }

    /// Whether a tag is obviously its own name, as most tags are.
    private static func isFolded(_ tag: String) -> Bool {
        let (space, slash) = (UInt8(ascii: " "), UInt8(ascii: "/"))
        var previous = space
        for byte in tag.utf8 {
            switch byte {
            case 0x21...0x40, 0x5B...0x7E: break
            case space where previous != space: break
            default: return false
            }
            previous = byte
        }
        return previous != space && previous != slash
    }
}

/// Writes counts with the singular or plural form of a noun, for messages.
package enum Count {
    /// Returns a count and a noun, such as `1 entry` or `2 entries`.
    ///
    /// - Parameters:
    ///   - singular: The noun for a count of 1; a verb can follow it.
    ///   - plural: The noun for other counts; `nil` if it is the singular with an `s`.
    package static func text(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
    }
}
