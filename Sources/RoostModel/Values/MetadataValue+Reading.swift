extension MetadataValue {
    /// Reads a value from JSON.
    ///
    /// - Parameter depth: The number of arrays and objects that enclose the value, including the object of
    ///   all metadata.
    /// - Throws: ``JSONError``, also if the value is nested deeper than ``maximumDepth``.
    package init(_ reader: inout JSONReader, depth: Int) throws {
        guard depth <= MetadataValue.maximumDepth + 1 else { throw reader.error("nested too deeply") }
        switch reader.peek() {
        case UInt8(ascii: "\""): self = .string(try reader.string())
        case UInt8(ascii: "t"):
            try reader.word("true")
            self = .bool(true)
        case UInt8(ascii: "f"):
            try reader.word("false")
            self = .bool(false)
        case UInt8(ascii: "n"):
            try reader.word("null")
            self = .null
        case UInt8(ascii: "["):
            var values: [MetadataValue] = []
            try reader.array { values.append(try MetadataValue(&$0, depth: depth + 1)) }
            self = .array(values)
        case UInt8(ascii: "{"):
            var values: [String: MetadataValue] = [:]
            try reader.object { values[$1] = try MetadataValue(&$0, depth: depth + 1) }
            self = .object(values)
        default:
            let number = try reader.number()
            if let whole = reader.integer(number).map(Int64.init) {
                self = .integer(whole)
            } else {
                self = .number(try reader.double(number))
            }
        }
    }

    /// Reads a value from the JSON text of a message, in which other arrays and objects can enclose metadata.
    ///
    /// - Throws: ``JSONError``, also if the value is nested deeper than metadata and its enclosing values.
    package init(message reader: inout JSONReader) throws {
        try self.init(&reader, depth: -Self.maximumOuterDepth)
    }
}
