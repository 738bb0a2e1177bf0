// Complex values as Fortran stores them.
#pragma once

namespace cufort::device {

template <typename Real>
struct Complex {
  Real re, im;
};

template <typename Real>
Complex<Real> operator+(Complex<Real> a, Complex<Real> b) {
  return {a.re + b.re, a.im + b.im};
}

template <typename Real>
Complex<Real> operator*(Complex<Real> a, Complex<Real> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

} // namespace cufort::device
