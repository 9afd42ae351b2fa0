import CResampling

/// The instructions that the inner loops are made of. All give the same within rounding.
enum ResamplingPath: Sendable, CaseIterable {
  /// What every machine has: SSE2 or NEON.
  case portable
  /// AVX2 with fused multiply-add.
  case avx2

  /// The fastest that this machine has.
  static let best: ResamplingPath = rsp_best_path() == RSP_AVX2 ? .avx2 : .portable

  /// False where the machine lacks the instructions; such a path must not be used.
  var isAvailable: Bool { self == .portable || Self.best == .avx2 }

  /// The value the kernels take; what is not available becomes the portable path.
  var kernelValue: rsp_path { self == .avx2 && isAvailable ? RSP_AVX2 : RSP_PORTABLE }
}
