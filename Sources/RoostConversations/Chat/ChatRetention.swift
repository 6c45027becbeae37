/// The treatment of messages outside an agent's window.
public enum ChatRetention: Sendable, Hashable {
    /// The messages are deleted: a history contains at most the window of the last save.
    case window
    /// The messages are kept: the window only limits the result of `fetch`, and older messages can still be
    /// recalled.
    case everything
}
