import Foundation
import TestSupport

@testable import RoostDocuments

/// Produces mutations of the files of a kind. Equal numbers produce equal files.
struct FuzzMutator {
    private let kind: FuzzKind
    private var random: Seeded

    /// The maximum number of bytes of a text.
    private static let maximumSize = 64 << 10

    private init(_ kind: FuzzKind, _ state: UInt64) {
        self.kind = kind
        random = Seeded(state: state)
    }

    /// Returns a mutation: changed bytes, and parts of the syntax that are inserted, repeated or nested.
    static func mutation(_ number: Int, of kind: FuzzKind) -> DocumentInput {
        var mutator = FuzzMutator(kind, UInt64(number) &* 0x1_0000_0001)
        let seed = kind.seeds[number % kind.seeds.count]
        let name = kind.fileNames[number % kind.fileNames.count]
        return DocumentInput(data: mutator.mutated(seed), path: "/notes/" + name)
    }

    /// Returns a file that consists of a few parts of the syntax, which are repeated or nested up to a size.
    /// Such files need much time if a search for the end of a construct begins again at each construct.
    static func pattern(_ number: Int, of kind: FuzzKind, size: Int) -> DocumentInput {
        var mutator = FuzzMutator(kind, UInt64(number) &* 0x1_0000_0001 &+ 1)
        let name = kind.fileNames[number % kind.fileNames.count]
        let units = (0..<Int.random(in: 1...3, using: &mutator.random)).map { _ in mutator.token() }
        let isNested = Bool.random(using: &mutator.random)
        let count = size / max(1, units.reduce(0) { $0 + $1.count })
        var text: [UInt8] = []
        if isNested {
            for unit in units { for _ in 0..<count { text += unit } }
        } else {
            for _ in 0..<count { for unit in units { text += unit } }
        }
        // A word before the signs, and the end of another construct.
        text = (number % 2 == 0 ? [] : Array("Ab ".utf8)) + text + mutator.token()
        let seed = kind.seeds[Int.random(in: 0..<kind.seeds.count, using: &mutator.random)]
        let data = mutator.replacing(seed) { contents, random in
            let isWhole = Int.random(in: 0..<4, using: &random) == 0
            let start = isWhole ? 0 : Int.random(in: 0...contents.count, using: &random)
            contents.replaceSubrange(start..<(isWhole ? contents.count : start), with: text)
        }
        return DocumentInput(data: data, path: "/notes/" + name)
    }

    private mutating func replacing(
        _ seed: FuzzKind.Seed, _ change: (inout [UInt8], inout Seeded) -> Void
    ) -> Data {
        switch seed {
        case .file(let data):
            var bytes = [UInt8](data)
            change(&bytes, &random)
            return Data(bytes)
        case .archive(let parts):
            var contents = parts
            let index = Int.random(in: contents.indices, using: &random)
            var bytes = [UInt8](contents[index].data)
            change(&bytes, &random)
            contents[index].data = Data(bytes)
            return StoredArchive.data(of: contents)
        }
    }

    private mutating func mutated(_ seed: FuzzKind.Seed) -> Data {
        switch seed {
        case .file(let data): return Data(mutated([UInt8](data)))
        case .archive(let parts):
            var contents = parts
            for _ in 0..<Int.random(in: 1...2, using: &random) where !contents.isEmpty {
                let index = Int.random(in: contents.indices, using: &random)
                switch Int.random(in: 0..<40, using: &random) {
                case 0: contents.remove(at: index)
                case 1: contents.append(contents[index])
                case 2: contents[index].name += "x"
                default: contents[index].data = Data(mutated([UInt8](contents[index].data)))
                }
            }
            let archive = StoredArchive.data(of: contents)
            let isArchiveMutated = Int.random(in: 0..<5, using: &random) == 0
            return isArchiveMutated ? Data(mutated([UInt8](archive))) : archive
        }
    }

    private mutating func token() -> [UInt8] { kind.tokens.randomElement(using: &random) ?? [] }

    /// The number of repetitions of a unit: usually few, and sometimes thousands.
    private mutating func repetitions() -> Int {
        let maximum = Int.random(in: 0..<20, using: &random) == 0 ? 4000 : 20
        return Int.random(in: 1...maximum, using: &random)
    }

    private mutating func mutated(_ data: [UInt8]) -> [UInt8] {
        var bytes = data
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let start = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 1...64, using: &random))
            change(&bytes, start..<end)
        }
        return bytes.count > Self.maximumSize ? Array(bytes.prefix(Self.maximumSize)) : bytes
    }

    private mutating func change(_ bytes: inout [UInt8], _ range: Range<Int>) {
        switch Int.random(in: 0..<14, using: &random) {
        case 0: if !range.isEmpty { bytes[range.lowerBound] = UInt8.random(in: 0...255, using: &random) }
        case 1: if !range.isEmpty { bytes[range.lowerBound] ^= 1 << UInt8.random(in: 0...7, using: &random) }
        case 2: bytes.removeSubrange(range)
        case 3: bytes.insert(contentsOf: bytes[range], at: Int.random(in: 0...bytes.count, using: &random))
        case 4: bytes.replaceSubrange(range, with: token())
        case 5: bytes.replaceSubrange(range, with: bytes[range].reversed())
        case 6: bytes.insert(contentsOf: repeated(Array(bytes[range])), at: range.lowerBound)
        case 7: bytes.insert(contentsOf: repeated(token()), at: range.lowerBound)
        case 8: nest(&bytes, range)
        case 9: if Int.random(in: 0..<4, using: &random) == 0 { bytes.removeSubrange(range.lowerBound...) }
        case 10: joinLines(&bytes, from: range.lowerBound)
        case 11:
            bytes.insert(contentsOf: part(of: kind.seeds.randomElement(using: &random)), at: range.lowerBound)
        default: bytes.insert(contentsOf: token(), at: range.lowerBound)
        }
    }

    private mutating func repeated(_ unit: [UInt8]) -> [UInt8] {
        let count = min(repetitions(), Self.maximumSize / max(1, unit.count))
        return Array(repeatElement(unit, count: count).joined())
    }

    /// Puts a range between repeated signs.
    private mutating func nest(_ bytes: inout [UInt8], _ range: Range<Int>) {
        let (open, close) = (token(), token())
        let count = min(repetitions(), Self.maximumSize / max(1, open.count + close.count))
        bytes.insert(contentsOf: repeatElement(close, count: count).joined(), at: range.upperBound)
        bytes.insert(contentsOf: repeatElement(open, count: count).joined(), at: range.lowerBound)
    }

    /// Replaces the ends of a few lines by spaces.
    private mutating func joinLines(_ bytes: inout [UInt8], from start: Int) {
        var rest = repetitions()
        for index in start..<bytes.count where bytes[index] == UInt8(ascii: "\n") && rest > 0 {
            bytes[index] = UInt8(ascii: " ")
            rest -= 1
        }
    }

    private mutating func part(of seed: FuzzKind.Seed?) -> [UInt8] {
        let bytes: [UInt8] =
            switch seed {
            case .file(let data): [UInt8](data)
            case .archive(let parts): parts.randomElement(using: &random).map { [UInt8]($0.data) } ?? []
            case nil: []
            }
        let start = Int.random(in: 0...bytes.count, using: &random)
        return Array(bytes[start...].prefix(Int.random(in: 1...200, using: &random)))
    }
}

enum FuzzRules {
    /// Returns the first rule that the structure of a text violates.
    static func defect(of text: String, format: TextFormat) -> String? {
        let structure = TextStructure(of: text, format: format)
        return defect(structure, of: text)
    }

    /// Returns the first rule that a structure of a text violates.
    static func defect(_ structure: TextStructure, of text: String) -> String? {
        var text = text
        return text.withUTF8 { utf8 in
            func isBoundary(_ offset: Int) -> Bool { offset == utf8.count || utf8[offset] & 0xC0 != 0x80 }
            guard structure.isValid(forLength: utf8.count) else { return "ranges are not in order" }
            let ranges =
                structure.sections.map(\.range) + structure.hiddenParts.map(\.range) + structure.blocks
            for range in ranges where !isBoundary(range.lowerBound) || !isBoundary(range.upperBound) {
                return "\(range) begins or ends within a character"
            }
            if structure.sections.contains(where: { $0.headings.contains(where: \.isEmpty) }) {
                return "empty heading"
            }
            let stored = TextStructure(coded: structure.coded, length: utf8.count)
            return stored == structure ? nil : "the stored form differs"
        }
    }
}
