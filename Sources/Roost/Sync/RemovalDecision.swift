/// The treatment of a folder with a ``RemovalRisk``.
public enum RemovalDecision: Sendable, Hashable {
    /// Sync the folder and remove the entries of missing files.
    case remove
    /// Sync the folder and keep the entries of missing files.
    case keep
    /// Change nothing for the folder.
    case skipFolder
}
