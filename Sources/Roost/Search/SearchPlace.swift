/// The place where a search compares the vectors of a store on a server.
public enum SearchPlace: String, Sendable, Hashable, Codable, CaseIterable {
    /// On the client, which keeps an index of all vectors and follows the changes of the store.
    case client
    /// In the database. The client keeps only an index of words.
    case database
}
