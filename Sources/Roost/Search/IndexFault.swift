/// The error that the index of vectors is damaged or contradicts the storage.
struct IndexFault: Error {
    var reason: String
}
