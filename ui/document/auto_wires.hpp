#pragma once

#include "ui/document/edits.hpp"

#include <optional>
#include <string>

namespace lowtide::ui {

/// The input whose value leaves the node changed by its first output, as a LoRA changes a model;
/// nullptr: it changes none.
[[nodiscard]] const PortDesc* patchedInput(const NodeDesc& desc);
/// Puts a node that changes a value between an output and everything that reads it.
void insertBehind(graph::Document& document,
                  const graph::Catalog& catalog,
                  const std::string& id,
                  const graph::PortRef& output);
/// Puts a node into a wire, as insertIntoWire() does; one that changes a model goes into every wire
/// from that output, since text encoders and denoiser have to agree. False: it does not fit.
bool insertIntoWires(graph::Document& document,
                     const graph::Catalog& catalog,
                     const std::string& id,
                     const graph::PortRef& wireTo);
/// The output that gives the model of the denoisers, before anything changes it; nothing: there is
/// none, or more than one. Those of `preferred` come first.
[[nodiscard]] std::optional<graph::PortRef> modelOfDenoisers(const graph::Document& document,
                                                             const graph::Catalog& catalog,
                                                             const NodeIds& preferred = {});
/// The one input of the output's type that needs a wire and has none; where no input needs one, the
/// one that is called like the output. Nothing: there is none, or more than one. Inputs of
/// `preferred` come first.
[[nodiscard]] std::optional<graph::PortRef> freeInputFor(const graph::Document& document,
                                                         const graph::Catalog& catalog,
                                                         const graph::PortRef& output,
                                                         const NodeIds& preferred = {});
/// Wires a node that was just added where only one other port can be meant: its first output to
/// freeInputFor() it, its inputs to what the graph has of their types. The only model of a graph
/// goes to everything that lacks one, and a node that changes a model between it and all its
/// readers.
void connectFreePorts(graph::Document& document,
                      const graph::Catalog& catalog,
                      const std::string& id,
                      const NodeIds& preferred = {});

}  // namespace lowtide::ui
