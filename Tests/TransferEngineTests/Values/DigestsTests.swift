import Testing
import TransferEngine

struct DigestsTests {
  /// The hashes of "abc" (RFC 1321 and FIPS 180-4), and of nothing.
  private static let known: [(HashAlgorithm, String, String)] = [
    (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
    (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
    (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (.sha1, "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    (.sha512_256, "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
    (.sha512_256, "", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
  ]

  private static func hex(_ bytes: [UInt8]?) -> String? {
    bytes.map { bytes in
      let digits = Array("0123456789abcdef")
      return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
  }

  @Test func `hashes have the values of the standards`() {
    for (algorithm, text, expected) in Self.known {
      #expect(Self.hex(Digests.hash(algorithm, text.utf8)) == expected, "\(algorithm) of \"\(text)\"")
    }
    #expect(Self.hex(Digests.md5([97, 98, 99])) == Self.known[0].2)
    #expect(Self.hex(Digests.sha1([97, 98, 99])) == Self.known[2].2)
    #expect(Self.hex(Digests.sha256([97, 98, 99])) == Self.known[4].2)
    #expect(Self.hex(Digests.sha512_256([97, 98, 99])) == Self.known[6].2)
  }

  @Test func `a hash of bytes in pieces is the hash of all bytes`() {
    let bytes = (0..<100_003).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    for algorithm in HashAlgorithm.allCases {
      guard var digest = Digest(algorithm) else {
        Issue.record("\(algorithm) is missing")
        continue
      }
      for start in stride(from: 0, to: bytes.count, by: 977) {
        bytes[start..<min(start + 977, bytes.count)].withUnsafeBytes { digest.update($0) }
      }
      let inPieces = digest.finish()
      #expect(inPieces == Digests.hash(algorithm, bytes))
    }
  }

  @Test func `every library computes the same hashes`() {
    for (algorithm, text, expected) in Self.known {
      for library in HashLibrary.allCases {
        // libcurl may be built with one of the libraries only.
        guard var digest = Digest(algorithm, library: library) else { continue }
        Array(text.utf8).withUnsafeBytes { digest.update($0) }
        let hash = Self.hex(digest.finish())
        #expect(hash == expected, "\(algorithm) by \(library)")
      }
    }
  }

  @Test func `GnuTLS has no SHA-512/256`() {
    let isMissing = Digest(.sha512_256, library: .gnuTLS) == nil
    #expect(isMissing)
  }
}
