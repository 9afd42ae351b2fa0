import CResampling

/// The instructions that the inner loops are made of. All give the same within rounding.
enum ResamplingPath: Int, Sendable, CaseIterable {
  /// What every machine has: SSE2 or NEON.
  case portable
  /// AVX2 with fused multiply-add.
  case avx2
  /// AVX-512, on processors that do not pay for it elsewhere.
  case avx512

  /// The fastest that this machine has.
  static let best = ResamplingPath(rawValue: Int(rsp_best_path().rawValue)) ?? .portable

  /// False where the machine lacks the instructions.
  var isAvailable: Bool { rawValue <= Self.best.rawValue }

  /// The value the kernels take; of a path that is not available, that of the best.
  var kernelValue: rsp_path { rsp_path(UInt32(min(rawValue, Self.best.rawValue))) }
}
