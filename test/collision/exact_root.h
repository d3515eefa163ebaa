// Polynomials with integer coefficients, their real roots in [0, 1] as isolating brackets, and signs of other
// polynomials at such a root, all exact (GMP). The base of the judge of continuous collision.
#pragma once
#include <gmpxx.h>
#include <vector>

namespace sinew::judge {

using Poly = std::vector<mpz_class>; // c0 + c1 t + ...; no leading zeros, empty = 0

Poly operator+(const Poly&, const Poly&);
Poly operator-(const Poly&, const Poly&);
Poly operator*(const Poly&, const Poly&);
Poly scaled(const Poly&, const mpz_class&);

// numerator / 2^exponent
struct Dyadic {
    mpz_class numerator;
    unsigned exponent = 0;
};
Dyadic dyadic(double); // of a finite number
double to_double(const Dyadic&);
int sign_at(const Poly&, const Dyadic&);

using Sturm = std::vector<Poly>;
Sturm sturm_chain(const Poly&);
int count_roots(const Sturm&, const Dyadic& a, const Dyadic& b); // distinct ones in (a, b]

// One root of `of`, the only one in (a, b]; or the number b itself when `of` is empty.
struct Root {
    const Poly* of = nullptr;
    const Sturm* chain = nullptr;
    Dyadic a, b;
};
std::vector<Root> isolate_roots(const Poly&, const Sturm&); // in (0, 1], ascending; p must not be zero
void refine(Root&);                                         // halves the bracket
void refine_to(Root&, unsigned bits);                       // width 2^-bits
int sign_at_root(const Poly&, Root&);
bool is_before(const Root&, double t); // root < t, exactly

} // namespace sinew::judge
