/// A reason not to remove the entries of missing files without the consent of the user.
public struct RemovalRisk: Sendable, Hashable, CustomStringConvertible {
    /// The condition of the folder.
    public enum Reason: Sendable, Hashable {
        /// The folder does not exist.
        case missing
        /// The folder cannot be read.
        case unreadable
        /// The folder is empty.
        case empty
        /// The folder was the root of a file system, which is no longer mounted.
        case unmounted
        /// More than 20% of the known files of the folder are missing.
        case manyFiles
    }

    /// The path of the folder.
    public var folder: String
    /// The condition of the folder.
    public var reason: Reason
    /// The number of known files that are missing and have not been moved.
    public var missingFiles: Int
    /// The number of known files.
    public var knownFiles: Int

    /// The maximum share of a folder's known files that are removed without consent, in percent.
    static let maximumShare = 20

    /// A sentence that describes the condition, without a final period.
    public var description: String {
        let files = "\(missingFiles) of \(knownFiles) known files"
        return switch reason {
        case .missing: "the folder \(folder) does not exist, so \(files) would be removed"
        case .unreadable: "the folder \(folder) cannot be read, so \(files) would be removed"
        case .empty: "the folder \(folder) is empty, so \(files) would be removed"
        case .unmounted:
            "the file system at \(folder) is no longer mounted, so \(files) would be removed"
        case .manyFiles: "\(files) in \(folder) are missing"
        }
    }
}

/// The treatment of a folder with a ``RemovalRisk``.
public enum RemovalDecision: Sendable, Hashable {
    /// Sync the folder and remove the entries of missing files.
    case remove
    /// Sync the folder and keep the entries of missing files.
    case keep
    /// Change nothing for the folder.
    case skipFolder
}
