import CResampling

/// The instruction sets of the inner loops. All give the same results within rounding.
enum ResamplingPath: Int, Sendable, CaseIterable {
  /// The instructions that every machine has: SSE2 or NEON.
  case portable
  /// AVX2 with fused multiply-add.
  case avx2
  /// AVX-512, on processors where it does not slow down other code.
  case avx512

  /// The fastest path of this machine.
  static let best = ResamplingPath(rawValue: Int(rsp_best_path().rawValue)) ?? .portable

  /// Whether this machine has the instructions.
  var isAvailable: Bool { rawValue <= Self.best.rawValue }

  /// The value for the kernels. If the path is not available, it is that of the best path.
  var kernelValue: rsp_path { rsp_path(UInt32(min(rawValue, Self.best.rawValue))) }
}
