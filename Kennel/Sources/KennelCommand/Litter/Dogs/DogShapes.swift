// Outlines of a dog's head (the right half) and ears (the right one). A head is about 100 units wide on each side of 0.
extension Dog {
  private static func points(_ numbers: [Double]) -> [Point] {
    stride(from: 0, to: numbers.count - 1, by: 2).map { Point(numbers[$0], numbers[$0 + 1]) }
  }

  var headOutline: Path {
    switch skull {
    case .round:
      .symmetric(Self.points([0, -94, 46, -89, 84, -62, 102, -16, 99, 32, 76, 74, 38, 97, 0, 102]))
    case .broad:
      .symmetric(Self.points([0, -92, 46, -88, 84, -64, 99, -18, 92, 28, 68, 70, 36, 100, 0, 108]))
    case .long:
      .symmetric(Self.points([0, -100, 38, -94, 68, -66, 80, -18, 68, 28, 48, 78, 28, 110, 0, 119]))
    case .square:
      .symmetric(Self.points([0, -92, 48, -89, 82, -66, 92, -16, 86, 40, 78, 86, 46, 112, 0, 118]))
    }
  }

  /// The position and the size of the muzzle.
  var muzzle: (y: Double, rx: Double, ry: Double) {
    switch skull {
    case .round: (46, 50, 40)
    case .broad: (50, 50, 46)
    case .long: (58, 35, 54)
    case .square: (60, 58, 50)
    }
  }

  var muzzleOutline: Path {
    let (y, rx, ry) = muzzle
    return .symmetric([
      Point(0, y - ry), Point(rx * 0.52, y - ry * 0.82), Point(rx * 0.78, y - ry * 0.2),
      Point(rx, y + ry * 0.28), Point(rx * 0.84, y + ry * 0.74), Point(rx * 0.4, y + ry * 0.98),
      Point(0, y + ry),
    ])
  }

  var nosePlace: (y: Double, size: Double) {
    switch skull {
    case .round: (22, 20)
    case .broad: (24, 23)
    case .long: (46, 19)
    case .square: (28, 22)
    }
  }

  var eyePlace: (x: Double, y: Double, size: Double) {
    switch skull {
    case .round: (43, -6, 20)
    case .broad: (42, -14, 16.5)
    case .long: (33, -14, 14.5)
    case .square: (38, -14, 16)
    }
  }

  /// The right ear. The left ear is its mirror image.
  var earOutline: Path {
    let reach = skull == .long ? 0.8 : 1.0
    let path: Path =
      switch ears {
      case .pricked: Self.prickedEar
      case .bat: .smooth(Self.points([20, -74, 34, -116, 60, -152, 92, -156, 110, -112, 102, -48, 60, -48]))
      case .floppy:
        .smooth(
          Self.points([42, -88, 76, -95, 112, -70, 131, -18, 130, 38, 110, 66, 90, 46, 81, 4, 68, -36]))
      case .folded:
        .smooth(
          Self.points([
            32, -82, 52, -122, 84, -136, 112, -112, 130, -66, 132, -36, 112, -46, 90, -66, 84, -56,
          ]))
      case .long:
        .smooth(
          Self.points([
            50, -82, 86, -86, 120, -42, 142, 30, 146, 96, 122, 136, 92, 126, 78, 70, 74, 10, 66, -34,
          ]))
      case .button:
        .smooth(Self.points([44, -82, 72, -98, 106, -78, 113, -44, 96, -30, 78, -50, 60, -64]))
      case .curly:
        .smooth(Self.points([54, -70, 88, -76, 122, -36, 134, 26, 122, 76, 94, 72, 80, 20, 70, -30]))
      }
    return path.transformed(.scaled(reach, 1))
  }

  private static var prickedEar: Path {
    var path = Path()
    path.move(18, -78)
    path.curve(Point(30, -124), Point(52, -166), Point(74, -184))
    path.curve(Point(79, -188), Point(84, -186), Point(86, -180))
    path.curve(Point(100, -140), Point(106, -90), Point(98, -36))
    path.curve(Point(70, -50), Point(40, -64), Point(18, -78))
    return path
  }

  /// The visible skin inside an upright ear; nil for a hanging ear.
  var innerEar: Path? {
    let path: Path? =
      switch ears {
      case .pricked:
        Self.prickedEar.transformed(
          .moved(70, -100), .scaled(0.58, 0.68), .moved(-64, 106))
      case .bat:
        .smooth(Self.points([40, -78, 52, -114, 68, -138, 86, -140, 96, -106, 92, -66, 64, -62]))
      default: nil
      }
    return path?.transformed(.scaled(skull == .long ? 0.8 : 1, 1))
  }

  var earsAreBehind: Bool { ears == .pricked || ears == .bat }
}

extension Path {
  /// Combines transforms. The last one is applied first.
  fileprivate func transformed(_ transforms: Transform...) -> Path {
    transformed(transforms.reduce(.identity) { $0.after($1) })
  }
}
