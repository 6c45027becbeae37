/// Stored data that cannot be read.
public struct ConversationDamage<Subject: Sendable & Hashable>: Sendable, Hashable {
    /// The session or history that the data belongs to, if that can be determined.
    public var subject: Subject?
    /// A human-readable description of the location of the data: a file, rows of a table, or a key of the
    /// user defaults.
    public var location: String
    /// The location to which the data was moved; `nil` if it was not moved.
    public var movedTo: String?
    /// The number of messages of the session or history that can still be read. They remain in the storage.
    public var readable: Int

    /// Creates a description of damage.
    ///
    /// - Parameters:
    ///   - subject: The session or history that the data belongs to, if that can be determined.
    ///   - location: A human-readable description of the location of the data.
    ///   - movedTo: The location to which the data was moved.
    ///   - readable: The number of messages of the session or history that can still be read.
    public init(subject: Subject?, location: String, movedTo: String? = nil, readable: Int) {
        (self.subject, self.location, self.movedTo, self.readable) = (subject, location, movedTo, readable)
    }
}

/// A function that is called when a result omits data because it cannot be read.
public typealias DamageHandler<Subject: Sendable & Hashable> =
    @Sendable (ConversationDamage<Subject>) -> Void
