#pragma once

#include "plugin/base/message.hpp"
#include "plugin/graph/snapshot.hpp"
#include "plugin/interop/class_table.hpp"
#include "plugin/interop/exported_values.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::interop {

/// A class that stands for a node of ours, and what it does not have of it.
struct ChosenClass {
    const ClassRow* row = nullptr;
    std::vector<Message> near;
    std::vector<Message> missing;
};

/// Which rows of a table stand for nodes of ours. The table must outlive it.
class ClassChoice {
public:
    explicit ClassChoice(const ClassTable& table);

    /// The row that lacks least. `ridesOn`: whether a node in between takes that input of the node.
    /// Nothing: no row stands for it.
    [[nodiscard]] std::optional<ChosenClass> choose(
        const graph::SnapshotNode& ours,
        const ExportValues& values,
        const std::function<bool(const graph::SnapshotInput&)>& ridesOn) const;

    /// The wire type of an input of a class; `ours`: that of what it is given here.
    [[nodiscard]] std::string typeOfInput(const std::string& name, const std::string& ours) const;

    /// A class that makes a wire of one type of another one; nullptr: there is none.
    [[nodiscard]] const ClassRow* converter(const std::string& from, const std::string& to) const;
    /// A class in between that stands for that parameter of the nodes behind it.
    [[nodiscard]] const ClassRow* riderOf(const std::string& param,
                                          const graph::SnapshotNode& ours,
                                          const ExportValues& values) const;
    /// A class in between that gives the nodes behind it that input.
    [[nodiscard]] const ClassRow* carrierOf(const std::string& port) const;
    /// The class that loads the file of that parameter of a checkpoint's loader, and its input;
    /// nullptr: there is none.
    [[nodiscard]] std::pair<const ClassRow*, std::string> loaderOf(const std::string& param,
                                                                   const std::string& file) const;

    /// Classes that stand for several nodes before one of ours, and give it what these do.
    [[nodiscard]] const std::vector<const ClassRow*>& compounds() const { return compounds_; }

    /// Whether the class itself takes that parameter.
    [[nodiscard]] static bool isTaken(const ClassRow& row, const std::string& param);

private:
    struct Fit;

    [[nodiscard]] Fit fitOf(const ClassRow& row,
                            const graph::SnapshotNode& ours,
                            const ExportValues& values,
                            const std::function<bool(const graph::SnapshotInput&)>& ridesOn) const;
    void fitParam(Fit& fit,
                  const ParamDesc& param,
                  const graph::SnapshotNode& ours,
                  const ExportValues& values) const;
    [[nodiscard]] bool hasInputOf(const ClassRow& row,
                                  const graph::SnapshotNode& ours,
                                  const std::string& type) const;

    std::map<std::string, std::vector<const ClassRow*>> rows_;  ///< by the type of our node
    std::vector<const ClassRow*> between_;                      ///< that make no node of ours
    std::vector<const ClassRow*> compounds_;                    ///< of several nodes
    std::vector<const ClassRow*> loaders_;                      ///< of models and their parts
    std::set<std::string> types_;                               ///< of all outputs
};

}  // namespace lowtide::interop
