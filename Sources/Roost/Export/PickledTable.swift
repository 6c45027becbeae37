import Foundation

/// The tables of texts and numbers in a file in the format of Python's module `pickle`.
///
/// The format is a program for a stack machine that can create any object. This type reads only the
/// instructions for dictionaries, texts and numbers, as data; a file with any other instruction is refused.
///
/// An instruction of one byte can create a value or a table, which needs far more memory than a byte. So
/// the numbers of both are limited.
struct PickledTable {
    /// The maximum number of tables. Indexes have four.
    private static let maximumTables = 64
    /// The maximum number of values in a file of any size.
    private static let minimumValueLimit = 1 << 20
    /// The number of bytes per value in larger files. A text and its number need at least eleven bytes.
    private static let bytesPerValue = 4

    private enum Value {
        case none
        case number(Int64)
        case text(String)
        /// The index of a table.
        case table(Int)
        /// The beginning of the pairs of a table.
        case mark
    }

    private var tables: [[String: Value]] = []
    private var stack: [Value] = []
    private var memory: [Value] = []
    /// The number of pairs in all tables.
    private var pairCount = 0
    private let maximumValues: Int
    private var rest: Data

    /// Reads a file.
    ///
    /// - Returns: `nil` if the file is damaged, contains objects other than dictionaries, texts and numbers,
    ///   or contains far more of them than an index of its size.
    init?(_ data: Data) {
        rest = data
        maximumValues = max(Self.minimumValueLimit, data.count / Self.bytesPerValue)
        while let code = next(1).map({ $0[$0.startIndex] }) {
            if code == UInt8(ascii: ".") {
                guard case .table(0) = stack.last else { return nil }
                return
            }
            guard perform(code), stack.count + memory.count + pairCount <= maximumValues else { return nil }
        }
        return nil
    }

    /// Returns the numbers in a table that is a value of the outer table; `nil` if the outer table has none.
    func numbers(in name: String) -> [String: Int64]? {
        guard case .table(let index) = tables.first?[name] else { return nil }
        var numbers: [String: Int64] = [:]
        for (key, value) in tables[index] {
            guard case .number(let number) = value else { return nil }
            numbers[key] = number
        }
        return numbers
    }

    /// Executes an instruction; returns whether it is supported and complete.
    private mutating func perform(_ code: UInt8) -> Bool {
        switch code {
        case 0x80: return next(1) != nil  // the version
        case 0x95: return next(8) != nil  // the size of a frame
        case UInt8(ascii: "N"): return push(Value.none)
        case UInt8(ascii: "("): return push(.mark)
        case 0x88, 0x89: return push(.number(code == 0x88 ? 1 : 0))
        case UInt8(ascii: "}"):
            guard tables.count < Self.maximumTables else { return false }
            tables.append([:])
            return push(.table(tables.count - 1))
        case UInt8(ascii: "K"): return push(number(1).map(Value.number))
        case UInt8(ascii: "M"): return push(number(2).map(Value.number))
        case UInt8(ascii: "J"):
            return push(number(4).map { .number(Int64(Int32(truncatingIfNeeded: $0))) })
        case 0x8A: return push(longNumber().map(Value.number))
        case 0x8C: return push(text(lengthSize: 1))
        case UInt8(ascii: "X"): return push(text(lengthSize: 4))
        case 0x94: return remember(memory.count)
        case UInt8(ascii: "q"): return number(1).map { remember(Int($0)) } ?? false
        case UInt8(ascii: "r"): return number(4).map { remember(Int($0)) } ?? false
        case UInt8(ascii: "h"): return push(number(1).flatMap(remembered))
        case UInt8(ascii: "j"): return push(number(4).flatMap(remembered))
        case UInt8(ascii: "s"): return setItems(from: stack.count - 2, hasMark: false)
        case UInt8(ascii: "u"):
            guard let mark = stack.lastIndex(where: { if case .mark = $0 { true } else { false } }) else {
                return false
            }
            return setItems(from: mark, hasMark: true)
        default: return false
        }
    }

    private mutating func push(_ value: Value?) -> Bool {
        guard let value else { return false }
        stack.append(value)
        return true
    }

    /// Remembers the last value. Writers number the values from 0.
    private mutating func remember(_ index: Int) -> Bool {
        guard let value = stack.last, index <= memory.count else { return false }
        if index == memory.count { memory.append(value) } else { memory[index] = value }
        return true
    }

    private func remembered(_ index: Int64) -> Value? {
        memory.indices.contains(Int(index)) ? memory[Int(index)] : nil
    }

    /// Moves the pairs at the end of the stack into the table before them. Keys that are numbers are omitted.
    private mutating func setItems(from start: Int, hasMark: Bool) -> Bool {
        guard start > 0, case .table(let index) = stack[start - 1] else { return false }
        let items = stack[(hasMark ? start + 1 : start)...]
        guard items.count.isMultiple(of: 2) else { return false }
        var position = items.startIndex
        while position < items.endIndex {
            if case .text(let key) = items[position],
                tables[index].updateValue(items[position + 1], forKey: key) == nil
            {
                pairCount += 1
            }
            position += 2
        }
        stack.removeSubrange(start...)
        return true
    }

    private mutating func next(_ count: Int) -> Data? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Returns an unsigned little-endian number.
    private mutating func number(_ size: Int) -> Int64? {
        next(size)?.reversed().reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Returns a signed little-endian number that is preceded by its size.
    private mutating func longNumber() -> Int64? {
        guard let size = number(1), size <= 8, let bytes = next(Int(size)) else { return nil }
        let value = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let unused = 64 - 8 * Int(size)
        return size == 0 ? 0 : Int64(bitPattern: value << UInt64(unused)) >> Int64(unused)
    }

    private mutating func text(lengthSize: Int) -> Value? {
        guard let length = number(lengthSize), let bytes = next(Int(length)) else { return nil }
        return String(validating: bytes, as: UTF8.self).map(Value.text)
    }
}
