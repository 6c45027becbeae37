import Synchronization

/// A limit on the number of operations that run at the same time.
final class Admission: Sendable {
    /// The permission to run one operation, which ends when the object is released.
    final class Permit: Sendable {
        private let admission: Admission

        fileprivate init(_ admission: Admission) { self.admission = admission }

        deinit { admission.running.withLock { $0 -= 1 } }
    }

    private let maximum: Int
    private let running = Mutex(0)

    init(maximum: Int) { self.maximum = maximum }

    /// Returns a permit; `nil` if the maximum is reached.
    func permit() -> Permit? {
        let isAllowed = running.withLock { running in
            guard running < maximum else { return false }
            running += 1
            return true
        }
        return isAllowed ? Permit(self) : nil
    }
}
