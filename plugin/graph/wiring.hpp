#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace lowtide::graph {

/// What really feeds what: muted nodes are gone with everything that leaves them, bypassed ones
/// pass the input of equal type on (passedInput). Made once per document; both must outlive it.
class Wiring {
public:
    Wiring(const Document& document, const Catalog& catalog);

    /// The port that feeds `input` of an active node; nullptr when nothing does.
    [[nodiscard]] const PortRef* source(const PortRef& input) const;
    /// The port at the other end of the link into `input`, as saved; nullptr without a link.
    [[nodiscard]] const PortRef* linkInto(const PortRef& input) const;
    /// All sources of an active node by input port.
    [[nodiscard]] const std::map<std::string, PortRef>& sources(const std::string& node) const;
    /// The wire type of an output; what a control node passes on has the type of its input. "*"
    /// when unknown.
    [[nodiscard]] std::string typeOf(const PortRef& output) const;

    /// The active nodes that a run is for (the output nodes, or Document::until) and those from
    /// which they are reached.
    [[nodiscard]] const std::set<std::string>& pulled() const { return pulled_; }

    /// Whether a run is for that node.
    [[nodiscard]] bool isWanted(const std::string& node) const;

    /// Nodes that feed themselves, one list per circle, in the direction of the links, smallest id
    /// first.
    [[nodiscard]] const std::vector<std::vector<std::string>>& cycles() const { return cycles_; }

private:
    const NodeDesc* descOf(const std::string& node) const;
    const PortRef* followed(const PortRef& output, const std::string& wantedType) const;
    const PortRef* passed(const PortRef& output, const std::string& wantedType) const;
    void connect();
    void pull();
    void followTypes();
    void followType(PortRef output);

    const Document& document_;
    const Catalog& catalog_;
    std::map<PortRef, PortRef> links_;
    std::map<std::string, std::map<std::string, PortRef>> sources_;
    std::map<PortRef, std::string> passedTypes_;  ///< of outputs that pass on what they are given
    std::set<std::string> pulled_;
    std::vector<std::vector<std::string>> cycles_;
};

}  // namespace lowtide::graph
