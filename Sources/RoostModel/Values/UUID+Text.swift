public import Foundation

extension UUID {
    /// The UUID in lower case, the form in which Roost displays and exports ids.
    public var text: String { uuidString.lowercased() }
}
