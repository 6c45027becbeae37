import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Threads that split many short steps among themselves, each step begun when the one before is done.
///
/// For work of about a millisecond whose steps take some ten microseconds, such as one text's way through a
/// model: waking a thread for each step would cost more than the step. So the helpers spin between steps,
/// from `run` to its end, and the calling thread never waits for one that has not come: it takes the parts
/// itself.
package final class ThreadTeam: Sendable {
    package typealias Part = @Sendable (Int) -> Void

    /// What is to be done, boxed so that its address can be passed from thread to thread.
    private final class Step: Sendable {
        let body: Part
        init(_ body: @escaping Part) { self.body = body }
    }

    /// The number of the step, of its parts, and of parts that have been taken, in one word: a helper that
    /// comes late can never take a part of another step than the one it looked at.
    private let ticket = Atomic<UInt64>(0)
    private let done = Atomic<Int>(0)
    private let isOver = Atomic<Bool>(false)
    private let step: Atomic<UInt> = Atomic(0)
    /// Threads that take part, the caller's among them.
    package let threads: Int

    private init(threads: Int) { self.threads = threads }

    /// Calls `body` with a team, on the calling thread, and ends the team when it returns.
    package static func run<Result>(threads: Int, _ body: (ThreadTeam) throws -> Result) rethrows -> Result {
        let team = ThreadTeam(threads: max(1, threads))
        for _ in 1..<team.threads {
            DispatchQueue.global(qos: .userInitiated).async { team.help() }
        }
        defer { team.isOver.store(true, ordering: .releasing) }
        return try body(team)
    }

    /// Calls `body` once for each of `0..<parts`, in any order, and returns when all have returned.
    ///
    /// To be called by the thread that `run` called, only.
    package func forEach(_ parts: Int, _ body: @escaping Part) {
        precondition(parts < 1 << 16)
        guard threads > 1, parts > 1 else {
            for part in 0..<parts { body(part) }
            return
        }
        let current = Step(body)
        let number = (ticket.load(ordering: .relaxed) >> 32) &+ 1
        done.store(0, ordering: .relaxed)
        withExtendedLifetime(current) {
            step.store(UInt(bitPattern: Unmanaged.passUnretained(current).toOpaque()), ordering: .releasing)
            ticket.store(number << 32 | UInt64(parts) << 16, ordering: .releasing)
            while take(number & 0xFFFF_FFFF) {}
            var spins = 0
            while done.load(ordering: .acquiring) < parts { Self.pause(&spins) }
        }
    }

    /// Takes one part of step `number` and does it.
    ///
    /// - Returns: whether there was one.
    private func take(_ number: UInt64) -> Bool {
        var seen = ticket.load(ordering: .acquiring)
        while true {
            let (parts, taken) = (seen >> 16 & 0xFFFF, seen & 0xFFFF)
            guard seen >> 32 == number, taken < parts else { return false }
            let address = step.load(ordering: .acquiring)
            let (exchanged, original) = ticket.compareExchange(
                expected: seen, desired: seen + 1, ordering: .acquiringAndReleasing)
            guard exchanged else {
                seen = original
                continue
            }
            // The part is ours, so the step cannot end before it is done, and its body is alive.
            if let pointer = UnsafeRawPointer(bitPattern: address) {
                Unmanaged<Step>.fromOpaque(pointer).takeUnretainedValue().body(Int(taken))
            }
            done.add(1, ordering: .releasing)
            return true
        }
    }

    private func help() {
        var spins = 0
        while !isOver.load(ordering: .acquiring) {
            if take(ticket.load(ordering: .acquiring) >> 32) { spins = 0 } else { Self.pause(&spins) }
        }
    }

    /// Waits a moment; where it has been long, lets another thread run, which may be the one waited for.
    private static func pause(_ spins: inout Int) {
        spins += 1
        if spins % 256 == 0 { sched_yield() }
    }
}
