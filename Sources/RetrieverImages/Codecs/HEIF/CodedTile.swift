import CImageCodecs
import Foundation

/// The decoded pixels of one tile, in memory of libde265 or dav1d.
final class CodedTile {
  private let tile: OpaquePointer
  private var planes = codec_tile_planes()
  private var scratch: [Float]

  var size: PixelSize { PixelSize(width: Int(planes.width), height: Int(planes.height)) }

  /// Throws if the library for a coding is not installed.
  static func checkLibrary(for coding: TileCoding) throws(ImageError) {
    guard codec_tile_library_is_available(coding.library) else {
      throw missingLibrary(named: coding.formatName)
    }
  }

  /// Returns the error for a format whose library is not installed.
  static func missingLibrary(named format: String) -> ImageError {
    guard format == "AVIF" else {
      return ImageError(.unsupported, "This is a HEIC image; install libde265-0 to decode it.")
    }
    let number = codec_tile_av1_library_number()
    return ImageError(
      .unsupported,
      number > 0
        ? "This is an AVIF image; install libdav1d\(number) to decode it."
        : "This is an AVIF image; install libdav1d-dev, and build the program again, to decode it.")
  }

  /// Decodes a tile of the given size.
  init(_ data: [UInt8], coding: TileCoding, size: PixelSize) throws(ImageError) {
    let name = coding.formatName
    var made: OpaquePointer?
    // dav1d rounds sizes up to the next multiple of 8.
    let maximum = (UInt64(size.width) + 8) * (UInt64(size.height) + 8)
    let opened = codec_tile_make(coding.library, maximum, &made)
    guard opened == .done, let tile = made else { throw .codec(opened, format: name, message: "") }
    self.tile = tile
    scratch = []
    switch coding {
    case .hevc(let configuration):
      for unit in configuration.parameterSets where !unit.isEmpty { try push(hevc: unit, size, name: name) }
      var units = HEVCUnits(data, lengthSize: configuration.lengthSize)
      while let unit = try units.next() { try push(hevc: unit, size, name: name) }
    case .av1: try push(data[...], name: name)
    }
    try check(codec_tile_finish(tile, &planes), name: name)
    guard Int(planes.width) >= size.width, Int(planes.height) >= size.height, 8...16 ~= planes.depth else {
      throw ImageError(.corrupt, "The \(name) image is damaged: its sizes are inconsistent.")
    }
    scratch = [Float](repeating: 0, count: codec_tile_scratch_count(&planes))
  }

  deinit { codec_tile_free(tile) }

  private func push(hevc unit: ArraySlice<UInt8>, _ size: PixelSize, name: String) throws(ImageError) {
    try HEVCConfiguration.check(unit, for: size)
    try push(unit, name: name)
  }

  private func push(_ bytes: ArraySlice<UInt8>, name: String) throws(ImageError) {
    let result = bytes.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { codec_tile_push(tile, $0, bytes.count) } ?? .corrupt
    }
    try check(result, name: name)
  }

  private func check(_ result: codec_result, name: String) throws(ImageError) {
    guard result != .done else { return }
    throw .codec(result, format: name, message: String(cString: codec_tile_message(tile)))
  }

  /// Returns the conversion of this tile's samples to rows of a format.
  func conversion(
    to format: RowFormat, colors: CodedColors?, isAlpha: Bool, smoothsChroma: Bool
  ) throws(ImageError) -> codec_tile_conversion {
    // Alpha has no matrix. HEVC encoders do not declare its range, which is full.
    let isFullRange = isAlpha || (colors?.isFullRange ?? planes.is_full_range)
    let matrix = isAlpha ? 2 : colors?.matrix ?? Int(planes.matrix)
    let conversion = CodedColors.conversion(
      matrix: matrix, isFullRange: isFullRange, depth: Int(planes.depth), channels: format.channels,
      bytesPerSample: format.bytesPerSample, smoothsChroma: smoothsChroma)
    guard let conversion, matrix != 0 || planes.horizontal_shift == 0 else {
      throw ImageError(.unsupported, "The image uses unsupported matrix coefficients: \(matrix).")
    }
    return conversion
  }

  /// Writes part of a row to memory that has room for it. The columns must be within the tile.
  func read(
    row: Int, columns: Range<Int>, with conversion: codec_tile_conversion, isAlpha: Bool,
    into output: UnsafeMutablePointer<UInt8>
  ) {
    guard row >= 0, row < size.height, columns.lowerBound >= 0, columns.upperBound <= size.width else {
      return
    }
    let (row, first, count) = (UInt32(row), UInt32(columns.lowerBound), UInt32(columns.count))
    scratch.withUnsafeMutableBufferPointer { scratch in
      guard let memory = scratch.baseAddress else { return }
      withUnsafePointer(to: conversion) { conversion in
        if isAlpha {
          codec_tile_read_alpha(&planes, row, first, count, conversion, memory, output)
        } else {
          codec_tile_read_row(&planes, row, first, count, conversion, memory, output)
        }
      }
    }
  }
}

extension TileCoding {
  var formatName: String {
    switch self {
    case .hevc: "HEIC"
    case .av1: "AVIF"
    }
  }

  fileprivate var library: codec_tile_coding {
    switch self {
    case .hevc: .hevc
    case .av1: .av1
    }
  }
}
