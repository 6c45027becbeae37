/// A report of a store that watches its folders.
public enum WatchEvent: Sendable {
    /// The folders have been synced for the first time, and are now observed.
    case watching(folders: Int, files: Int)
    /// Changes have been synced.
    case synced(SyncReport)
    /// A condition that the user should know, as a sentence.
    case notice(String)
}
