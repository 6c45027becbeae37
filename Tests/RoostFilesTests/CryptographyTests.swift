import Foundation
import RoostFiles
import Testing

@Suite struct CryptographyTests {
    private func bytes(_ text: String) -> [UInt8] {
        let digits = Array(text.filter { !$0.isWhitespace })
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0..<$0 + 2]), radix: 16)
        }
    }

    @Test func `digests, codes and derived keys are those of the standards`() {
        #expect(
            SHA256.hexadecimal(Array("abc".utf8))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            Array("abc".utf8).withUnsafeBytes { Hexadecimal.text(SHA1.hash([$0])) }
                == "a9993e364706816aba3e25717850c26c9cd0d89d")
        // RFC 4231, case 2; RFC 5869, case 3; RFC 7914, case 2.
        #expect(
            Hexadecimal.text(
                SHA256.authenticationCode(
                    of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            Hexadecimal.text(SHA256.derivedKey(from: [UInt8](repeating: 0x0B, count: 22), purpose: ""))
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
        let key = Scrypt.key(
            from: "password", salt: Data("NaCl".utf8), rounds: 1024, blockSize: 8, parallelism: 16)
        #expect(
            key.map { Hexadecimal.text($0) }
                == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162")
        #expect(Scrypt.key(from: "", salt: Data(), rounds: 1000, blockSize: 8, parallelism: 1) == nil)
    }

    @Test func `parts give the digest of the whole`() {
        let data = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        let hash = SHA256()
        for start in stride(from: 0, to: data.count, by: 777) {
            hash.update(data[start..<min(data.count, start + 777)])
        }
        #expect(hash.finalize() == SHA256.hash(data))
        #expect(SHA256.hash(Data()) == SHA256.hash([UInt8]()))
    }

    @Test func `the sealed box of RFC 8439 is opened, and no other`() {
        let nonce = bytes("070000004041424344454647")
        let ciphertext = bytes(
            """
            d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b
            1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc
            3ff4def08e4b7a9de576d26586cec64b6116
            """)
        let box = Data(nonce + ciphertext + bytes("1ae10b594f09e26a7e902ecbd0600691"))
        let (key, name) = (Array(0x80...0x9F) as [UInt8], Data(bytes("50515253c0c1c2c3c4c5c6c7")))
        #expect(ChaChaPoly.open(box, key: key, authenticating: name)?.prefix(6) == Data("Ladies".utf8))
        #expect(ChaChaPoly.open(box, key: key) == nil)
        #expect(ChaChaPoly.open(box.dropLast(), key: key, authenticating: name) == nil)
        #expect(ChaChaPoly.open(box.prefix(20), key: key, authenticating: name) == nil)
        for index in box.indices {
            var changed = box
            changed[index] ^= 1
            #expect(ChaChaPoly.open(changed, key: key, authenticating: name) == nil)
        }
    }

    @Test(arguments: [0, 1, 100_000]) func `sealed bytes are opened, and no nonce is used twice`(count: Int) {
        let (key, data) = ([UInt8](repeating: 7, count: 32), Data(repeating: 3, count: count))
        let boxes = (0..<2).map { _ in ChaChaPoly.seal(data, key: key) }
        #expect(boxes[0] != boxes[1])
        for box in boxes { #expect(ChaChaPoly.open(box, key: key) == data && box.count == count + 28) }
    }
}
