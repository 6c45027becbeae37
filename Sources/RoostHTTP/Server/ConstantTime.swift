/// Comparisons whose duration does not depend on the content.
package enum ConstantTime {
    /// Returns whether two sequences of bytes are equal.
    ///
    /// The duration depends on the length of `candidate` only, so that an attacker cannot find a secret
    /// byte by byte.
    package static func equal(_ secret: [UInt8], _ candidate: [UInt8]) -> Bool {
        var difference: UInt8 = secret.count == candidate.count ? 0 : 1
        for (index, byte) in candidate.enumerated() {
            difference |= byte ^ (secret.isEmpty ? ~byte : secret[index % secret.count])
        }
        return difference == 0
    }
}
