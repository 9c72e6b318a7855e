#pragma once
#include "tests/fixtures/test_program.hpp"

#include <QString>

#include <string>
#include <vector>

namespace matrix_test {

inline const bool kIsFull = lowtide::testing::isFullTest();

/// A graph of the matrix, small enough to be run hundreds of times.
struct Case {
    std::string name;
    QString example;  ///< of examples/graphs, or the text of a graph
    std::vector<std::string> set;
    std::vector<std::string> stages;        ///< nodes with components, or one of those
    std::string precision{};                ///< of each of them; empty: nothing is asked
    std::vector<std::string> precisions{};  ///< "stage=precision", of some of them
};

inline const std::vector<std::string> kSmall = {
    "latent.width=64", "latent.height=64", "denoise.steps=2", "denoise.sampler=euler_a"};

inline std::vector<std::string> with(std::vector<std::string> more) {
    more.insert(more.begin(), kSmall.begin(), kSmall.end());
    return more;
}

}  // namespace matrix_test
