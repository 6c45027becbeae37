package import HTTPTypes

extension HTTPFields {
    /// The value of the first header with a name, in any case; `nil` if the name is invalid.
    package subscript(named name: String) -> String? {
        HTTPField.Name(name).flatMap { name in first { $0.name == name }?.value }
    }

    /// Adds a header; does nothing if the name is invalid.
    package mutating func add(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { append(HTTPField(name: name, value: value)) }
    }
}
