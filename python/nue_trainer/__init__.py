"""Training of Nue's nets in PyTorch.

Features come from `nue data stream`, so there is one definition of them; nets go back through
`nue net import`, which quantises and checks. Here is only what lies between: decoding batches,
the net in real numbers, the objective, the loop.

Runs on torch 1.13 and later, on the processor or on CUDA. No other package is needed.
"""

__version__ = "0.1.0"
