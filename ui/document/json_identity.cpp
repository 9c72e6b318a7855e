#include "ui/document/json_identity.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lowtide::ui {

namespace {

bool isIdenticalNumber(double a, double b) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) ||
           (std::isnan(a) && std::isnan(b));
}

bool isIdenticalObject(const Json& a, const Json& b) {
    return a.size() == b.size() && std::equal(a.items().begin(),
                                              a.items().end(),
                                              b.items().begin(),
                                              [](const auto& mine, const auto& theirs) {
                                                  return mine.key() == theirs.key() &&
                                                         isIdentical(mine.value(), theirs.value());
                                              });
}

}  // namespace

bool isIdentical(const Json& a, const Json& b) {
    if (a.is_number_integer() && b.is_number_integer()) {  // signed and unsigned are written alike
        return a == b;
    }
    if (a.type() != b.type()) {
        return false;
    }
    if (a.is_number_float()) {
        return isIdenticalNumber(a.get<double>(), b.get<double>());
    }
    if (a.is_object()) {
        return isIdenticalObject(a, b);
    }
    if (a.is_array()) {
        return std::equal(
            a.begin(), a.end(), b.begin(), b.end(), [](const Json& mine, const Json& theirs) {
                return isIdentical(mine, theirs);
            });
    }
    return a == b;
}

bool meansTheSame(const graph::DocumentNode& a, const graph::DocumentNode& b) {
    return a.type == b.type && a.version == b.version && a.mode == b.mode &&
           isIdentical(a.params, b.params) && isIdentical(a.memory, b.memory) &&
           isIdentical(a.precision, b.precision);
}

bool differsOnlyInPosition(const graph::DocumentNode& a, const graph::DocumentNode& b) {
    return meansTheSame(a, b) && a.title == b.title && isIdentical(a.extra, b.extra);
}

bool isIdentical(const graph::DocumentNode& a, const graph::DocumentNode& b) {
    return differsOnlyInPosition(a, b) && isIdentical(a.position, b.position);
}

bool isIdentical(const graph::Link& a, const graph::Link& b) {
    return a.from == b.from && a.to == b.to && isIdentical(a.extra, b.extra);
}

bool isIdentical(const graph::ExposedParam& a, const graph::ExposedParam& b) {
    return a.node == b.node && a.param == b.param && a.label == b.label &&
           isIdentical(a.extra, b.extra);
}

}  // namespace lowtide::ui
